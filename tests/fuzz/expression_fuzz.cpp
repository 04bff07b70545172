/// libFuzzer: any text is an expression or an ExpressionError; what is parsed can be differentiated and evaluated.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/evaluate.hpp"
#include "model/parse.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lento::model;
    Graph graph;
    const Scope scope{.lookup = [&](std::string_view name) -> std::optional<Node> {
                          return name.size() == 1 ? std::optional(graph.symbol(static_cast<std::uint32_t>(name[0] % 4)))
                                                  : std::nullopt;
                      },
                      .names =
                          [] {
                              return std::vector<std::string>{"x", "y"};
                          }};
    try {
        const Node node = parse_expression(graph, {reinterpret_cast<const char*>(data), size}, scope);
        std::vector<Node> results{node};
        for (const auto& partial : graph.gradient(node)) {
            results.push_back(partial.node);
        }
        std::vector<double> values(results.size());
        Evaluator(graph, results)
            .
            operator()<double>([](std::size_t k) { return 0.3 + static_cast<double>(k); }, std::span(values));
    } catch (const ExpressionError& error) {
        if (error.offset > size || error.length == 0) {
            __builtin_trap();
        }
    }
    return 0;
}
