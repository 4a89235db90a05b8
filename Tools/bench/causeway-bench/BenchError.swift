/// The reason why a benchmark could not be finished, or measured nothing.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
