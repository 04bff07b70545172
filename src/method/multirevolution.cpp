#include "lento/method/multirevolution.hpp"

#include <utility>

namespace lento {

Solution multirevolution(SharedMotion motion, const Request& request, StartReport start) {
    StroboscopicRun run(std::move(motion), request, multirevolution_description, std::move(start));
    return run.ready() ? run.follow_map() : run.not_started();
}

}  // namespace lento
