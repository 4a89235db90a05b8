package import CausewayControlAPI
package import CausewaySystem

extension ControlError {
    /// The error of a program whose output cannot be written.
    package init(_ error: OutputError) {
        self.init(
            error == .closed ? .outputClosed : .outputFailed, "standard output cannot be written: \(error.description)")
    }
}
