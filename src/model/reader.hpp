/// Reads the sections of a model file, one function each.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/document.hpp"
#include "model/names.hpp"
#include "model/numbers.hpp"
#include "model/parsed_model.hpp"

namespace lento::model {

class Reader {
public:
    Reader(Source source, const std::vector<Assignment>& assignments);

    Model read();

private:
    // Sections, in the order in which they need each other.
    void check_top_level();
    void refuse_top_level_keys_in(const Value& table, const std::string& section) const;
    void read_parameters();
    void read_coordinates();
    void read_variable_starts();
    void read_phases();
    void read_definitions();
    void read_potential();
    void read_forces();
    void read_rates();
    void read_mass();
    void read_mass_matrix(const Value& matrix);
    void read_masses(const Value& table);
    Node mass(const Value& value, const std::string& what);
    /// Whether masses depend on more than parameters.
    bool vary(std::span<const Node> masses);
    void require_equal(Node a, Node b, Mark mark, const std::string& what);
    void read_springs();
    void read_constraints();
    void read_fast_velocity();
    void read_oscillation();
    void read_slow();
    void read_splitting();
    void read_observed();
    void read_run();
    /// Moves the expressions to the graph of the model, and says where its symbols stand.
    void place_expressions();
    std::vector<std::uint32_t> parameters_in_exponents();
    void add_gradients();
    void check_outputs();

    // What a value has to be. `what` names it in messages.
    const Value& section(std::string_view name) const;
    void expect_table(const Value& value, std::string_view what) const;
    void expect_keys(const Value& table, std::string_view what, const std::vector<std::string>& known) const;
    Mark mark_of_name(const Value& value, std::string_view name) const;
    Node expression(const Value& value, const std::string& what);
    /// An expression that depends on nothing but these kinds and parameters.
    Node expression_of(const Value& value, const std::string& what, Kinds allowed);
    /// An expression of parameters alone.
    Node number(const Value& value, const std::string& what);
    /// Numbers that follow from parameters: `step` is done now, and again for other values of them.
    void put(std::span<const Node> nodes, Numbers::Step step);
    using Put = std::function<void(Model&, double)>;
    using Check = double (*)(const Source& source, Mark mark, const std::string& what, double value);
    Node put_number(const Value& value, const std::string& what, Check check, const Put& into);
    void put_if_given(const Value& table, std::string_view key, const std::string& what, Check check, const Put& into);
    const std::string& text(const Value& value, const std::string& what) const;
    std::size_t coordinate_of(const Entry& entry, std::string_view section) const;
    [[noreturn]] void fail(Mark mark, std::string_view message) const { model_.source.fail(mark, message); }
    template <class First, class... More>
    [[noreturn]] void fail(Mark mark, fmt::format_string<First, More...> message, First&& first, More&&... more) const {
        model_.source.fail(mark, message, std::forward<First>(first), std::forward<More>(more)...);
    }

    Model model_;
    Value document_;
    Names names_;
    const std::vector<Assignment>& assignments_;
    std::unordered_map<std::string, std::size_t> coordinate_;  // by name
    Numbers numbers_;
};

}  // namespace lento::model
