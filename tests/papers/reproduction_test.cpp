/// Every reproduction agrees with print, and disagreement would be noticed.
#include "papers/reproduction.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace lento::papers {
namespace {

class Reproductions : public testing::TestWithParam<std::size_t> {};

TEST_P(Reproductions, agree_with_print) {
    const auto& reproduction = reproductions()[GetParam()];
    const auto result = reproduction.compute();
    EXPECT_FALSE(result.rows.empty() && result.claims.empty());
    EXPECT_FALSE(reproduction.parameters.empty());
    EXPECT_FALSE(result.pictures.empty() && reproduction.id.find("/figure-") != std::string::npos);
    for (const auto& picture : result.pictures) {
        for (const auto& curve : picture.curves) {
            EXPECT_FALSE(curve.x.empty()) << picture.title << ": " << curve.label;
            EXPECT_EQ(curve.x.size(), curve.y.size()) << picture.title << ": " << curve.label;
        }
    }
    for (const auto& row : result.rows) {
        EXPECT_TRUE(row.agrees()) << row.label << " " << row.column << ": printed " << row.published.value_or(0)
                                  << ", computed " << row.computed;
    }
    for (const auto& claim : result.claims) {
        EXPECT_TRUE(claim.holds) << claim.text << ": " << claim.measured;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Reproductions, testing::Range<std::size_t>(0, reproductions().size()),
                         [](const auto& info) {
                             std::string name = reproductions()[info.param].id;
                             for (auto& c : name) {
                                 c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                             }
                             return name;
                         });

TEST(Row, disagrees_when_it_should) {
    EXPECT_TRUE((Row{"", "", 1.0, 1.019, true, 0.02}.agrees()));
    EXPECT_FALSE((Row{"", "", 1.0, 1.021, true, 0.02}.agrees()));
    EXPECT_FALSE((Row{"", "", 1.0, std::nan(""), true, 0.02}.agrees()));
    EXPECT_FALSE((Row{"", "", std::nullopt, std::nan(""), true, 0.02}.agrees()));
    EXPECT_TRUE((Row{"", "", 1.0, 5.0, false, 0.02}.agrees()));
    Result result;
    result.claims.push_back({"", 0, false});
    EXPECT_FALSE(result.agrees());
}

}  // namespace
}  // namespace lento::papers
