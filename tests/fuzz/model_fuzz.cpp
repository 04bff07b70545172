/// libFuzzer: any text is a model or Misuse.
#include <cstddef>
#include <cstdint>
#include <string>

#include "model/derive.hpp"
#include "model/parsed_model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lento::model;
    try {
        auto model = read_model({"fuzz.toml", std::string(reinterpret_cast<const char*>(data), size)});
        constraint_terms(model);
        slow_terms(model);
        for (const Node rate : first_order_form(model)) {
            model.graph.gradient(rate);
        }
    } catch (const lento::Misuse&) {
    }
    return 0;
}
