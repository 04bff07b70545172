#include "lento/method/sam.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {
namespace {

Solution follow(StroboscopicRun& run, Recovery recovery, std::span<const int> orders) {
    const auto& options = run.request().options;
    const bool fixed = options.macro_step || options.steps;
    const int order = options.difference_order ? static_cast<int>(*options.difference_order)
                      : fixed                  ? 2
                                               : run.fitting_order(recovery, orders);
    run.note_option("difference_order", fmt::format("{}", order));
    return run.follow_field(MapField(recovery, order));
}

}  // namespace

Solution sam(SharedMotion motion, const Request& request, StartReport start) {
    StroboscopicRun run(std::move(motion), request, sam_description, std::move(start));
    const auto difference = run.request().options.difference.value_or("central");
    require_one_of("difference", difference, {"central", "forward", "backward"});
    if (!run.ready()) {
        return run.not_started();
    }
    run.note_option("difference", difference);
    if (difference == "central") {
        return follow(run, Recovery::central, std::array{2, 4, 6, 8});
    }
    return follow(run, difference == "forward" ? Recovery::forward : Recovery::backward, std::array{2, 4, 6, 8});
}

Solution lips(SharedMotion motion, const Request& request, StartReport start) {
    StroboscopicRun run(std::move(motion), request, lips_description, std::move(start));
    return run.ready() ? follow(run, Recovery::nested, std::array{2, 3, 4}) : run.not_started();
}

}  // namespace lento
