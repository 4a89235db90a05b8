import ArgumentParser
import CausewayConfiguration

/// A duration as the value of an option.
struct TimeLimit: ExpressibleByArgument {
    let duration: Duration

    init?(argument: String) {
        guard let duration = DurationText.duration(argument) else { return nil }
        self.duration = duration
    }
}
