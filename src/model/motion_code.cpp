#include "model/motion_code.hpp"

#include <mutex>
#include <optional>

#include "model/jit.hpp"
#include "model/motion_writer.hpp"

namespace lento::model {
namespace {

using Entry = void (*)(std::size_t order, double h, double t, const double* theta, const double* turns,
                       const double* parameters, const double* inverse_masses, double* y, double* space);

}  // namespace

struct MotionCode::Lazy {
    std::once_flag once{};
    std::optional<jit::Machine> machine{};
    Entry entry = nullptr;
};

MotionCode::MotionCode(MotionTape tape, Kind kind)
    : tape_(std::move(tape)), kind_(kind), lazy_(std::make_shared<Lazy>()) {}

std::shared_ptr<const MotionCode> MotionCode::of(const FunctionGraph& function, Kind kind) {
    auto tape = MotionTape::of(function);
    return tape && tape->steps().size() <= longest
               ? std::shared_ptr<const MotionCode>(new MotionCode(*std::move(tape), kind))
               : nullptr;
}

MotionSeries::Work MotionCode::work() const {
    return {tape_.operations(), tape_.lanes().size()};
}

std::size_t MotionCode::space(int order) const {
    return LaneLayout(tape_.lanes().size()).numbers(static_cast<std::size_t>(order));
}

void MotionCode::coefficients(const Point& point, int order, double* space, double* y) const {
    std::call_once(lazy_->once, [this] {
        // NOTE: no level is faster to run; the quickest to compile takes three times as long.
        auto& machine = lazy_->machine.emplace(jit::Effort{LLVMCodeGenLevelLess, "default<O0>"});
        MotionWriter(machine.module(), "lento_motion", tape_, kind_).write();
        machine.finish();
        lazy_->entry = machine.function<Entry>("lento_motion");
    });
    lazy_->entry(static_cast<std::size_t>(order), point.h, point.t, point.theta, point.turns, point.parameters,
                 point.inverse_masses, y, space);
}

}  // namespace lento::model
