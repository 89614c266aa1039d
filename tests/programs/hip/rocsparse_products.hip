// rocSPARSE: products of a sparse matrix with a vector in two formats, with and without analysis, and a dense result.
// libs: -lrocsparse
#include "check.h"

#include <rocsparse/rocsparse.h>

#define SPARSE(call) CHECK_EQ(call, rocsparse_status_success)

int main() {
    const int rows = 400, columns = 300;
    Random random;
    std::vector<int> starts{0}, places;
    std::vector<double> values, x(columns), y(rows), expected(rows);
    for (auto& value : x) value = double(random.below(100)) - 50;
    for (auto& value : y) value = double(random.below(10));
    for (int row = 0; row < rows; row++) {
        unsigned length = row % 50 == 7 ? 200 : random.below(12);
        int column = int(random.below(columns / (length + 1) + 1));
        double sum = 0;
        for (unsigned k = 0; k < length && column < columns; k++) {
            places.push_back(column);
            values.push_back(double(random.below(21)) - 10);
            sum += values.back() * x[column];
            column += 1 + int(random.below(columns / (length + 1)));
        }
        starts.push_back(int(places.size()));
        expected[row] = 2 * sum - 3 * y[row];
    }
    const int count = int(places.size());
    Array<int> on_starts(starts), on_places(places);
    Array<double> on_values(values), on_x(x), on_y(y);
    rocsparse_handle handle;
    rocsparse_mat_descr description;
    rocsparse_mat_info info;
    SPARSE(rocsparse_create_handle(&handle));
    SPARSE(rocsparse_create_mat_descr(&description));
    SPARSE(rocsparse_create_mat_info(&info));
    const double alpha = 2, beta = -3;
    for (bool analysed : {false, true}) {
        HIP(hipMemcpy(on_y, y.data(), rows * sizeof(double), hipMemcpyHostToDevice));
        if (analysed)
            SPARSE(rocsparse_dcsrmv_analysis(handle, rocsparse_operation_none, rows, columns, count, description,
                                             on_values, on_starts, on_places, info));
        SPARSE(rocsparse_dcsrmv(handle, rocsparse_operation_none, rows, columns, count, &alpha, description, on_values,
                                on_starts, on_places, analysed ? info : nullptr, on_x, &beta, on_y));
        auto got = on_y.read();
        for (int row = 0; row < rows; row++) CHECK_EQ(got[row], expected[row]);
    }
    // Coordinates instead of starts of rows.
    Array<int> on_rows(count);
    SPARSE(rocsparse_csr2coo(handle, on_starts, count, rows, on_rows, rocsparse_index_base_zero));
    HIP(hipMemcpy(on_y, y.data(), rows * sizeof(double), hipMemcpyHostToDevice));
    SPARSE(rocsparse_dcoomv(handle, rocsparse_operation_none, rows, columns, count, &alpha, description, on_values,
                            on_rows, on_places, on_x, &beta, on_y));
    auto got = on_y.read();
    for (int row = 0; row < rows; row++) CHECK_EQ(got[row], expected[row]);
    // A dense matrix.
    Array<double> dense(size_t(rows * columns));
    SPARSE(rocsparse_dcsr2dense(handle, rows, columns, description, on_values, on_starts, on_places, dense, rows));
    auto full = dense.read();
    double sum = 0, whole = 0;
    for (double value : full) sum += value;
    for (double value : values) whole += value;
    CHECK_EQ(sum, whole);
    for (int row = 0; row < rows; row++)
        for (int k = starts[row]; k < starts[row + 1]; k++) CHECK_EQ(full[places[k] * rows + row], values[k]);
    SPARSE(rocsparse_destroy_mat_info(info));
    SPARSE(rocsparse_destroy_mat_descr(description));
    SPARSE(rocsparse_destroy_handle(handle));
    return OK();
}
