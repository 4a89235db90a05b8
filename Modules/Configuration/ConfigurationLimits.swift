/// The limits of settings, with their units in their names.
enum ConfigurationLimits {
    /// Bytes of a configuration file.
    static let configurationBytesMax = 1024 * 1024
    /// The longest expiry that can be set: a leap year.
    static let expiryMax: Duration = .seconds(366 * 86_400)
}
