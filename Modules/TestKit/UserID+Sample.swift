public import Causeway

extension ChannelID {
    /// A channel of tests: `general`.
    public static var sample: ChannelID {
        guard let channel = ChannelID("general") else { preconditionFailure("the names of samples are valid") }
        return channel
    }
}

extension UserID {
    /// A user of tests: `ann`.
    public static var sample: UserID {
        guard let user = UserID("ann") else { preconditionFailure("the names of samples are valid") }
        return user
    }
}
