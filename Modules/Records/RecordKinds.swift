/// The list of kinds: the only place outside a kind's folder that names it.
public enum RecordKinds {
    /// The kinds of records that this version knows.
    public static let all: [any Record.Type] = [Channel.self, ChannelMember.self]
}
