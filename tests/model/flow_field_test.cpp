/// The fields of text models in the unknowns that their exact parts leave alone.
#include "average/flow_field.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "average/harmonic.hpp"
#include "lento/model/model.hpp"
#include "papers/stroboscopic_runs.hpp"
#include "tests/source_dir.hpp"

namespace lento {
namespace {

using Point = std::vector<double>;

TEST(FlowField, of_a_text_model_is_that_of_the_same_system_in_cpp) {
    const auto in_text = [](const char* name) { return Model::from_file(source_dir / "models" / name).problem(); };
    FlowField text(in_text("perturbed-kepler.toml"));
    FlowField cpp(papers::perturbed_kepler(std::pow(2.0, -12)));
    HarmonicAverage of_text(text, 16);
    HarmonicAverage of_cpp(cpp, 16);
    of_text.sweep(4, 0, Point{1, 0.1, 0.05, 0.95, 0}, {});
    of_cpp.sweep(4, 0, Point{1, 0.1, 0.05, 0.95}, {});
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(of_text.force()[i], of_cpp.force()[i], 5e-16) << i;
    }
    FlowField linear(in_text("gyrating-particle.toml"));
    EXPECT_FALSE(linear.not_periodic(Point{0.3, 0.2, 0.7, -0.2}, 1e6, 1e-9));
}

}  // namespace
}  // namespace lento
