/// Samples are read again as they were, whether they are still in memory or in the file.
#include "march/sample_store.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "lento/base/misuse.hpp"

namespace lento {
namespace {

constexpr std::size_t many = 400'000;  // samples of 3 numbers and t: three times what stays in memory

double number(std::size_t k, std::size_t i) {
    return static_cast<double>(k) / 7 + static_cast<double>(i);
}

SampleStore filled(std::size_t count) {
    SampleStore store;
    for (std::size_t k = 0; k < count; ++k) {
        store.append(number(k, 0), std::array{number(k, 1), number(k, 2), number(k, 3)});
    }
    return store;
}

void expect_sample(SampleStore::Reader& reader, std::size_t k) {
    ASSERT_EQ(reader.t(k), number(k, 0));
    ASSERT_EQ(reader[k].size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        ASSERT_EQ(reader[k][i], number(k, i + 1)) << k;
    }
}

TEST(SampleStore, gives_back_every_sample_to_the_bit) {
    for (const std::size_t count : {0UL, 1UL, 1000UL, many}) {
        const SampleStore store = filled(count);
        ASSERT_EQ(store.size(), count);
        SampleStore::Reader reader(store);
        for (std::size_t k = 0; k < count; ++k) {
            expect_sample(reader, k);
        }
        for (std::size_t k = count; k > 0; k -= std::min<std::size_t>(k, 9973)) {  // back, and over the border
            expect_sample(reader, k - 1);
        }
    }
}

TEST(SampleStore, stays_small_however_many_samples_it_holds) {
    const auto resident = [] {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss;  // in kB, the largest so far
    };
    filled(many);
    const auto before = resident();
    filled(10 * many);
    EXPECT_LT(resident() - before, 40'000);  // the samples are 128 MB
}

TEST(SampleStore, moves_with_its_samples) {
    SampleStore store = filled(many);
    const SampleStore other = std::move(store);
    store = {};
    EXPECT_TRUE(store.empty());
    SampleStore::Reader reader(other);
    expect_sample(reader, 5);
    expect_sample(reader, many - 1);
}

TEST(SampleStore, refuses_samples_of_another_length) {
    SampleStore store = filled(1);
    EXPECT_THROW(store.append(1, std::vector{1.0}), std::logic_error);
}

TEST(SampleStore, says_where_there_is_no_room) {
    const char* given = std::getenv("TMPDIR");
    const std::string before = given == nullptr ? "" : given;
    const auto folder = std::filesystem::temp_directory_path() / "lento-sample-store-test";
    std::filesystem::create_directories(folder);
    setenv("TMPDIR", folder.c_str(), 1);
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit small{1 << 20, limit.rlim_max};
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    try {
        filled(many);
        ADD_FAILURE() << "no exception";
    } catch (const Misuse& misuse) {
        EXPECT_NE(std::string(misuse.what()).find(folder.string()), std::string::npos) << misuse.what();
    }
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, handler);
    EXPECT_TRUE(std::filesystem::is_empty(folder)) << "nothing stays behind";
    std::filesystem::remove(folder);
    given == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", before.c_str(), 1);
}

}  // namespace
}  // namespace lento
