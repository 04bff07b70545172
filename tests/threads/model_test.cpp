/// One model, many runs: other values of its parameters compile nothing, and threads do not change a bit.
#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <string>
#include <thread>
#include <vector>

#include "lento/lento.hpp"
#include "lento/model/model.hpp"
#include "tests/source_dir.hpp"

namespace lento {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) {
    return std::chrono::duration<double>(Clock::now() - began).count();
}

Model read(const std::string& name) {
    return Model::from_file(source_dir / "models" / (name + ".toml"));
}

/// Everything that a run says of its end, to the bit.
std::vector<std::uint64_t> bits_of(const Solution& solution) {
    std::vector<double> numbers = solution.final_state().position;
    const auto& velocity = solution.final_state().velocity;
    numbers.insert(numbers.end(), velocity.begin(), velocity.end());
    const auto& errors = solution.record().error_estimate;
    numbers.insert(numbers.end(), errors.begin(), errors.end());
    numbers.push_back(static_cast<double>(solution.statistics().force_evaluations));
    std::vector<std::uint64_t> bits;
    for (const double number : numbers) {
        bits.push_back(std::bit_cast<std::uint64_t>(number));
    }
    return bits;
}

/// `runs` values of a parameter, from `from` on, handed out to threads in turn.
std::vector<std::vector<std::uint64_t>> sweep(const Model& model, const std::string& parameter, double from,
                                              double step, std::size_t runs, std::size_t threads) {
    std::vector<std::vector<std::uint64_t>> found(runs);
    std::vector<std::jthread> workers;
    for (std::size_t worker = 0; worker < threads; ++worker) {
        workers.emplace_back([&, worker] {
            for (std::size_t k = worker; k < runs; k += threads) {
                found[k] = bits_of(model.with({{parameter, from + step * static_cast<double>(k)}}).solve());
            }
        });
    }
    workers.clear();
    return found;
}

TEST(Threads, runs_of_one_model_have_the_same_bits_from_two_threads_as_from_one) {
    struct Case {
        std::string model, parameter;
        double from, step;
    };
    for (const auto& [name, parameter, from, step] :
         {Case{"inverted-pendulum", "v_max", 3.5, 0.1}, Case{"double-pendulum", "omega", 1e4, 500},
          Case{"strong-spring", "omega", 400, 100}, Case{"van-der-pol", "eps", 1e-3, 1e-4}}) {
        const Model model = read(name);
        EXPECT_EQ(sweep(model, parameter, from, step, 6, 1), sweep(model, parameter, from, step, 6, 2)) << name;
    }
}

TEST(Threads, functions_written_in_cpp_may_be_shared_too) {
    const auto pendulum = vibrated_system(
        1, 1e5, [](auto x, auto, auto, auto theta, auto f) { f[0] = (9.8 + 4e5 * cos(theta)) / 0.2 * sin(x[0]); });
    const auto run = [&](double start, const std::string& method) {
        return bits_of(solve(pendulum, {.start = {start}, .t_end = 0.1, .method = method}));
    };
    for (const std::string method : {"harmonic", "hmm-async", "multirevolution"}) {
        const auto one = run(0.5, method);
        const auto other = run(0.4, method);
        std::vector<std::uint64_t> one_beside, other_beside;
        {
            const std::jthread first([&] { one_beside = run(0.5, method); });
            const std::jthread second([&] { other_beside = run(0.4, method); });
        }
        EXPECT_EQ(one, one_beside) << method;
        EXPECT_EQ(other, other_beside) << method;
    }
}

TEST(Parameters, a_run_with_another_value_has_the_bits_of_a_model_that_is_read_with_it) {
    const Model model = read("inverted-pendulum");
    for (const double v_max : {3.0, 4.25, 5.5}) {
        const auto again =
            Model::from_file(source_dir / "models" / "inverted-pendulum.toml", {{"v_max", std::to_string(v_max)}});
        EXPECT_EQ(bits_of(model.with({{"v_max", v_max}}).solve()), bits_of(again.solve()));
    }
}

/// What is compared is the ratio: how long anything takes depends on the machine.
TEST(Parameters, a_thousand_values_take_less_than_a_thousand_models_read_anew) {
    constexpr int few = 50;
    auto began = Clock::now();
    for (int k = 0; k < few; ++k) {
        read("inverted-pendulum").with({{"v_max", 3 + 0.003 * k}}).solve();
    }
    const double each_read = seconds_since(began) / few;
    const Model model = read("inverted-pendulum");
    began = Clock::now();
    const auto found = sweep(model, "v_max", 3, 0.003, 1000, 1);
    const double sweeping = seconds_since(began);
    std::printf("1000 values of one model %.3f s, of models read anew %.3f s\n", sweeping, 1000 * each_read);
    EXPECT_NE(found.front(), found.back());
    EXPECT_LT(sweeping, 1000 * each_read);
}

}  // namespace
}  // namespace lento
