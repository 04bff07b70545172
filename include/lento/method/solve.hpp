/// The front door: a system and a request in, a solution out.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "lento/method/direct.hpp"
#include "lento/method/hmm_async.hpp"
#include "lento/method/hmm_sync.hpp"
#include "lento/method/request.hpp"

namespace lento {

/// Every method there is, in the order in which `lento methods` lists them.
inline const std::vector<MethodDescription>& method_descriptions() {
    static const std::vector<MethodDescription> all{hmm_sync_description, hmm_async_description, direct_description};
    return all;
}

/// The method that `auto` stands for: a declared fast scale is averaged, anything else integrated directly.
template <class System>
std::string automatic_method(const System& system) {
    return system.phases().empty() && !system.period() ? "direct" : "hmm-async";
}

template <class System>
Solution solve(const System& system, const Request& request) {
    const std::string method = request.method == "auto" ? automatic_method(system) : request.method;
    if (method == "hmm-async") {
        return hmm_async(system, request);
    }
    if (method == "hmm-sync") {
        return hmm_sync(system, request);
    }
    if (method == "direct") {
        return direct(system, request);
    }
    std::vector<std::string> known;
    for (const auto& description : method_descriptions()) {
        known.push_back(description.name);
    }
    throw Misuse(fmt::format("method '{}' is not known{}; there are auto, {}", request.method,
                             suggestion(request.method, known), listed(known)));
}

}  // namespace lento
