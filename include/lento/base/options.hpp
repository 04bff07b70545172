/// The options of the methods: one name, one meaning, in all of them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace [[gnu::visibility("default")]] lento {

struct Options {
    std::optional<std::string> macro{};
    std::optional<double> macro_step{};
    std::optional<std::size_t> steps{};
    std::optional<std::string> micro{};
    std::optional<double> micro_step{};
    std::optional<std::size_t> micro_steps_per_period{};
    std::optional<std::string> filter{};
    std::optional<double> window{};
    std::optional<double> window_periods{};
    std::optional<std::string> initial{};
    std::optional<std::string> mean_force{};
    std::optional<std::string> parity{};
    std::optional<std::string> project{};
    std::optional<std::vector<double>> project_times{};
    std::optional<double> projection_tolerance{};
    std::optional<std::string> guess{};
    std::optional<std::string> fast_energy{};
    std::optional<std::string> difference{};
    std::optional<std::size_t> difference_order{};
    std::optional<std::size_t> periods_per_step{};
    std::optional<std::string> reconstruction{};
    std::optional<std::string> smoothing{};
    std::optional<std::size_t> segments{};
    std::optional<std::size_t> segment_steps{};
    std::optional<std::size_t> phases{};
    std::optional<std::size_t> sweeps{};
    std::optional<std::string> estimate{};
};

struct OptionEntry {
    using Field = std::variant<std::optional<std::string> Options::*, std::optional<double> Options::*,
                               std::optional<std::size_t> Options::*, std::optional<std::vector<double>> Options::*>;

    std::string name, meaning;
    Field field;
};

/// Every option there is.
std::span<const OptionEntry> option_catalogue();

/// Sets an option from text, as `--option NAME=VALUE` does. Misuse for an unknown name or a value of the wrong kind.
void set_option(Options& options, std::string_view name, std::string_view value);

/// The names of the options that are set.
std::vector<std::string> names_of_set(const Options& options);
/// Throws Misuse where both are set.
void require_not_both(const Options& options, std::string_view one, std::string_view other);

/// The options of these names; the others are taken out.
Options only(Options options, const std::vector<std::string>& names);

}  // namespace lento
