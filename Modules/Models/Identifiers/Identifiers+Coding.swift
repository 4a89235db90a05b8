extension MessageID: Codable, LosslessStringConvertible {
    public init?(_ description: String) {
        guard let value = UUIDv7(description) else { return nil }
        self.init(value)
    }
    public var description: String { value.description }
    public init(from decoder: any Decoder) throws { self.init(try UUIDv7(from: decoder)) }
    public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension OutboxID: Codable, LosslessStringConvertible {
    public init?(_ description: String) {
        guard let value = UUIDv7(description) else { return nil }
        self.init(value)
    }
    public var description: String { value.description }
    public init(from decoder: any Decoder) throws { self.init(try UUIDv7(from: decoder)) }
    public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension SessionID: Codable, LosslessStringConvertible {
    public init?(_ description: String) {
        guard let value = UUIDv7(description) else { return nil }
        self.init(value)
    }
    public var description: String { value.description }
    public init(from decoder: any Decoder) throws { self.init(try UUIDv7(from: decoder)) }
    public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension ChannelID: Codable, LosslessStringConvertible {
    public var description: String { value }
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let channel = ChannelID(text) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "the channel's name \(Name.problem(with: text) ?? "is wrong")"))
        }
        self = channel
    }
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension UserID: Codable, LosslessStringConvertible {
    public var description: String { value }
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let user = UserID(text) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "the user's name \(Name.problem(with: text) ?? "is wrong")"))
        }
        self = user
    }
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
