import CausewayModels

/// The limits of settings, with their units in their names.
package enum ConfigurationLimits {
    /// Bytes of a configuration file.
    static let configurationBytesMax = 1024 * 1024
    /// Bytes of the file with the certificate settings of all servers.
    package static let trustBytesMax = 16 * 1024 * 1024
    /// Bytes of a server's address in the name of the file with its authorities.
    static let trustNameBytesMax = 200
    /// The longest expiry that can be set: a leap year.
    static let expiryMax: Duration = .seconds(366 * 86_400)
    /// Uploads at the same time: the connections for files.
    static let uploadsMax = 6
    /// The longest retention by time, in hours: a hundred years.
    static let retentionHoursMax = 100 * 366 * 24
    /// The numbers of messages that a retention can keep of a channel.
    static let retainedMessages = Limits.retainedMessagesMin...1_000_000_000
}
