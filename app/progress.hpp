/// Shows how far a run has come on a terminal, after two seconds, and passes Ctrl-C on to it.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

namespace lento::app {

/// While one of these lives, the first Ctrl-C asks the run to stop; a second one ends the program.
class Progress {
public:
    /// `what` is being done, from t_start to t_end.
    Progress(std::string what, double t_start, double t_end);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    std::stop_token token() const { return source_.get_token(); }
    void operator()(double t);

private:
    void show(double t, double elapsed);

    std::string what_;
    double t_start_, t_end_;
    std::stop_source source_;
    bool visible_;
    bool printed_ = false;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point shown_ = began_;
};

/// Says on a terminal what is being done while one of these lives, where no share of it is known.
class Waiting {
public:
    explicit Waiting(const std::string& what);
    ~Waiting() { over(); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

    void over();

private:
    bool printed_;
};

/// Says so of a large model that is being read and compiled, which takes seconds.
class Patience {
public:
    explicit Patience(const std::string& file);
    void over() { waiting_.reset(); }

private:
    std::optional<Waiting> waiting_;
};

}  // namespace lento::app
