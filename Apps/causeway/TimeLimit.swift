import ArgumentParser
import CausewayControl

/// A time, as an option's value.
struct TimeLimit: ExpressibleByArgument {
    let duration: Duration

    init?(argument: String) {
        guard let duration = DurationText.duration(argument) else { return nil }
        self.duration = duration
    }
}
