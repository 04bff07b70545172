/// Every reproduction agrees with print or its reference figures, which are told apart, and disagreement would be
/// noticed.
#include "papers/reproduction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

namespace lento::papers {
namespace {

/// Where a paper prints numbers. Other figures are pictures; harmonic averages have no paper.
const std::set<std::string> with_printed_numbers{"stiff/table-1",
                                                 "stiff/table-2",
                                                 "stiff/figure-3",
                                                 "stiff/figure-5",
                                                 "stiff/figure-6",
                                                 "vibrated/table-2.1",
                                                 "vibrated/table-2.2",
                                                 "vibrated/table-2.3",
                                                 "vibrated/figure-4.1",
                                                 "stroboscopic/figure-5",
                                                 "reversible/figure-4.2",
                                                 "reversible/figure-4.3",
                                                 "slow-manifold/table-1",
                                                 "slow-manifold/slow-points",
                                                 "slow-manifold/multipliers",
                                                 "slow-manifold/figure-5"};

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
    EXPECT_EQ(result.has_published(), with_printed_numbers.contains(reproduction.id));
    std::map<std::string, std::set<bool>> printed;  // of the columns with something to compare with
    for (const auto& row : result.rows) {
        EXPECT_TRUE(row.agrees()) << row.label << " " << row.column << ": expected " << row.expected().value_or(0)
                                  << ", computed " << row.computed;
        EXPECT_FALSE(row.published && row.reference) << row.label << " " << row.column;
        EXPECT_TRUE(row.judged || !row.erratum.empty() || !result.not_judged.empty())
            << row.label << " " << row.column << ": why?";
        EXPECT_FALSE(row.judged && !row.erratum.empty()) << row.label << " " << row.column;
        if (row.expected()) {
            printed[row.column].insert(row.published.has_value());
        }
    }
    for (const auto& [column, kinds] : printed) {
        EXPECT_EQ(kinds.size(), 1) << column << " cannot be headed";
    }
    const bool own = reproduction.paper == "harmonic";
    EXPECT_EQ(result.judged_by().starts_with("print"), !own);
    EXPECT_EQ(citation(reproduction.paper) == "Lento's own method", own);
    for (const auto& claim : result.claims) {
        EXPECT_TRUE(claim.agrees()) << claim.text << ": " << claim.measured;
        EXPECT_TRUE(std::isfinite(claim.measured)) << claim.text;
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

TEST(Claim, of_a_paper_may_fail_with_an_erratum_only) {
    EXPECT_TRUE((Claim{"", 0, true}.agrees()));
    EXPECT_FALSE((Claim{"", 0, false}.agrees()));
    EXPECT_TRUE((Claim{"", 0, false, Source::paper, "It is another number."}.agrees()));
    EXPECT_FALSE((Claim{"", 0, true, Source::paper, "It is another number."}.agrees())) << "the erratum is wrong";
    EXPECT_FALSE((Claim{"", 0, false, Source::lento, "It is another number."}.agrees()));
    Result result;
    result.claims = {{"", 0, false, Source::paper, "It is another number."}};
    EXPECT_TRUE(result.agrees());
    EXPECT_EQ(result.refuted(), 1);
    EXPECT_EQ(result.judged(), 0) << "it is not counted among what agrees";
    EXPECT_EQ(result.agreeing(), 0);
}

TEST(Result, lists_an_erratum_once) {
    const Row printed{"", "", 1.0, 5.0, true, 0.02};
    Result result;
    result.rows = {printed.misprinted("A digit."), printed.misprinted("A digit."), Row{"", "", 1.0, 1.0}};
    EXPECT_TRUE(result.agrees());
    EXPECT_EQ(result.judged(), 1);
    EXPECT_EQ(result.errata(), std::vector<std::string>{"A digit."});
    EXPECT_EQ(result.refuted(), 2);
    result.claims = {{"", 0, false, Source::paper, "A sentence."}, {"", 0, true}};
    EXPECT_EQ(result.errata(), std::vector<std::string>{"A digit."}) << "the sentence has its own beside it";
    EXPECT_EQ(result.refuted(), 3);
    EXPECT_EQ(result.judged(), 2);
}

TEST(Row, is_judged_by_a_reference_figure_as_by_print) {
    const auto row = [](double computed) { return Row{"", "", {}, computed, true, 0.02, 1.0}; };
    EXPECT_TRUE(row(1.019).agrees());
    EXPECT_FALSE(row(1.021).agrees());
    EXPECT_FALSE(row(std::nan("")).agrees());
    Result result;
    result.rows = {row(1), row(2)};
    EXPECT_FALSE(result.agrees());
    EXPECT_EQ(result.judged(), 2);
    EXPECT_EQ(result.agreeing(), 1);
}

TEST(Result, agrees_with_print_only_where_print_was_judged) {
    Result result;
    result.claims = {{"", 0, true, Source::lento}};
    EXPECT_EQ(result.judged_by(), "its claims");
    result.rows = {{"", "", {}, 1, true, 0, 1.0}, {"", "", 1.0, 2, false, 0}};
    EXPECT_EQ(result.judged_by(), "the reference figures");
    result.claims.push_back({"", 0, true, Source::paper});
    EXPECT_EQ(result.judged_by(), "print and the reference figures");
    result.rows = {{"", "", 1.0, 1, true, 0}};
    EXPECT_EQ(result.judged_by(), "print");
}

TEST(Citation, has_authors_year_and_title) {
    EXPECT_EQ(citation("vibrated"),
              "Calvo, Sanz-Serna (2010), Heterogeneous multiscale methods for mechanical systems with vibrations");
}

}  // namespace
}  // namespace lento::papers
