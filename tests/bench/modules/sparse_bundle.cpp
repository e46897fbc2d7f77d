// The Jacobian of bundle adjustment with derivatives by hand, for sparse_peer.py: nine numbers a row, by the camera's
// turn and place and by the point, in the order of sparse_tasks.covec. The camera turns points by Rodrigues' formula.
#include <cmath>

namespace {

struct Vector {
  double x, y, z;
};
Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vector operator*(double s, Vector a) { return {s * a.x, s * a.y, s * a.z}; }
double dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vector cross(Vector a, Vector b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
Vector at(const double* numbers, long i) { return {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]}; }
constexpr Vector units[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

}  // namespace

extern "C" void bundle_jacobian(long observations, const long* camera_of, const long* point_of, const double* turns,
                                const double* places, const double* points, double* data) {
  constexpr double pixels = 1000;  // a unit of the picture plane, in pixels
  for (long o = 0; o < observations; ++o) {
    const Vector turn = at(turns, camera_of[o]), x = at(points, point_of[o]) - at(places, camera_of[o]);
    const double angle = std::sqrt(dot(turn, turn) + 1e-20), c = std::cos(angle), s = std::sin(angle);
    const Vector k = 1 / angle * turn, kx = cross(k, x);
    const double along = dot(k, x);
    const Vector seen = c * x + s * kx + along * (1 - c) * k;
    const Vector by_angle = c * kx - s * x + along * s * k;
    const double turn_of[] = {k.x, k.y, k.z};
    Vector columns[9];
    for (int j = 0; j < 3; ++j) {
      const Vector unit = units[j], dk = 1 / angle * (unit - turn_of[j] * k);
      columns[j] = turn_of[j] * by_angle + s * cross(dk, x) + (1 - c) * (along * dk + dot(dk, x) * k);
      columns[6 + j] = c * unit + s * cross(k, unit) + (1 - c) * turn_of[j] * k;
      columns[3 + j] = -1 * columns[6 + j];
    }
    const double scale = pixels / seen.z, u = seen.x / seen.z, v = seen.y / seen.z;
    for (int j = 0; j < 9; ++j) {
      data[18 * o + j] = scale * (columns[j].x - u * columns[j].z);
      data[18 * o + 9 + j] = scale * (columns[j].y - v * columns[j].z);
    }
  }
}
