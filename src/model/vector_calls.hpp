/// Calls of functions of vectors, which are passed in registers: the files behind them are compiled for machines that
/// have them (`lento_vector_calls` in cmake/compiling.cmake), and are called on no others.
#pragma once

namespace lento::model {

void call_four(void* function, const double* a, double* y);
void call_four(void* function, const double* a, const double* b, double* y);
void call_four_for_both(void* function, const double* a, double* sine, double* cosine);
void call_eight(void* function, const double* a, double* y);
void call_eight(void* function, const double* a, const double* b, double* y);
void call_eight_for_both(void* function, const double* a, double* sine, double* cosine);

}  // namespace lento::model
