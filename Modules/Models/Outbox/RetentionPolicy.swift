/// The delivered messages of a channel that a store keeps.
///
/// Messages that are not delivered, failed ones, and those that something in the outbox refers to are always kept, and
/// so are the newest ``Limits/retainedMessagesMin`` of each channel. What is dropped here is still on the server: a
/// list that reaches it requests it again.
public enum RetentionPolicy: Sendable, Hashable {
    /// All of them.
    case forever
    /// Those that the server accepted at most this long ago: its time of acceptance, compared with the clock of this
    /// device.
    case age(Duration)
    /// This many of the newest of each channel.
    case count(Int)
}
