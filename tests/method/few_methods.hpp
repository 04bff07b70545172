/// `lento::solve` with the methods that a test is about, and `direct`. All methods, compiled for each of its systems, would take minutes.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>

#include "lento/lento.hpp"

namespace lento {

[[noreturn]] inline void not_among_few(const Request& request) {
    throw std::logic_error("this test does not compile the method " + request.method);
}

template <class System>
Solution solve_by_windows(const System& system, const Request& request) {
    if (request.method == hmm_async_description.name) {
        return hmm_async(system, request);
    }
    if (request.method == hmm_sync_description.name) {
        return hmm_sync(system, request);
    }
    if (request.method == direct_description.name) {
        return direct(system, request);
    }
    not_among_few(request);
}

template <class Free, class Constraints>
Solution solve_on_constraints(const ConstrainedSystem<Free, Constraints>& system, const Request& request) {
    for (const auto& description : {shake_shake_description, rattle_shake_description}) {
        if (request.method == description.name) {
            return average_on_constraints(system, request, description);
        }
    }
    if (request.method == direct_description.name) {
        return direct(system, request);
    }
    not_among_few(request);
}

template <class Force, std::size_t Extent>
Solution solve_by_strides(const VibratedSystem<Force, Extent>& system, const Request& request) {
    using Motion = PeriodicCoordinates<VibratedSystem<Force, Extent>>;
    return is_stroboscopic(request.method)
               ? solve_stroboscopic(std::make_shared<Motion>(system), request.method, request)
               : direct(system, request);
}
template <class Rate>
Solution solve_by_strides(const FirstOrderSystem<Rate>& system, const Request& request) {
    using Motion = PeriodicVariables<FirstOrderSystem<Rate>>;
    return is_stroboscopic(request.method)
               ? solve_stroboscopic(std::make_shared<Motion>(system), request.method, request)
               : direct(system, request);
}
template <class Rate, class Flow>
Solution solve_by_strides(const SplitSystem<Rate, Flow>& system, const Request& request) {
    using Motion = PeriodicSplit<Rate, Flow>;
    return is_stroboscopic(request.method)
               ? solve_stroboscopic(std::make_shared<Motion>(system), request.method, request)
               : direct(system.whole(), request);
}
template <class Free, class Constraints>
Solution solve_by_strides(const ConstrainedSystem<Free, Constraints>& system, const Request& request) {
    return solve(system, request);
}

template <class Force, std::size_t Extent>
Solution solve_harmonically(const VibratedSystem<Force, Extent>& system, const Request& request) {
    using Field = CoordinatesField<VibratedSystem<Force, Extent>>;
    const DirectRun resolve = [&](const Request& other) { return direct(system, other); };
    return request.method == direct_description.name ? resolve(request)
                                                     : harmonic(std::make_shared<Field>(system), request, resolve);
}
template <class Rate>
Solution solve_harmonically(const FirstOrderSystem<Rate>& system, const Request& request) {
    using Field = VariablesField<FirstOrderSystem<Rate>>;
    const DirectRun resolve = [&](const Request& other) { return direct(system, other); };
    return request.method == direct_description.name ? resolve(request)
                                                     : harmonic(std::make_shared<Field>(system), request, resolve);
}

}  // namespace lento
