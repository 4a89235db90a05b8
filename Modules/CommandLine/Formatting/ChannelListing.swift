package import CausewayControlAPI
import CausewayModels
import CausewayRecords
import Foundation

/// Formats lists of channels and of their members for a terminal. A record that this version cannot read is a line with
/// its id.
package enum ChannelListing {
    package static func channels(_ records: [RecordDTO], for terminal: Terminal) -> [String] {
        var table = TextTable(["CHANNEL", "MEMBERS", "MESSAGES", "LAST ACTIVITY", "NAME"])
        for record in records {
            let channel = record.record(as: Channel.self)
            table.add([
                TextTable.Cell(record.id), TextTable.Cell(channel.map { String($0.memberCount) } ?? "?"),
                TextTable.Cell(channel.map { String($0.messageCount) } ?? "?"),
                TextTable.Cell(channel.map { moment($0.lastActivityAt) } ?? ""), TextTable.Cell(channel?.name ?? ""),
            ])
        }
        return table.isEmpty ? ["No channels."] : table.lines(for: terminal)
    }

    /// The memberships of one user.
    package static func memberships(_ records: [RecordDTO], for terminal: Terminal) -> [String] {
        var table = TextTable(["CHANNEL", "ROLE", "JOINED"])
        for record in records {
            let member = record.record(as: ChannelMember.self)
            table.add([
                TextTable.Cell(member?.channel.value ?? record.id), role(member), joined(member),
            ])
        }
        return table.isEmpty
            ? ["No channels; `causeway channel list --public` lists those that you can join."]
            : table.lines(for: terminal)
    }

    /// The members of one channel.
    package static func members(_ records: [RecordDTO], for terminal: Terminal) -> [String] {
        var table = TextTable(["USER", "ROLE", "JOINED"])
        for record in records {
            let member = record.record(as: ChannelMember.self)
            table.add([TextTable.Cell(member?.user.value ?? record.id), role(member), joined(member)])
        }
        return table.isEmpty ? ["No members."] : table.lines(for: terminal)
    }

    private static func role(_ member: ChannelMember?) -> TextTable.Cell {
        TextTable.Cell(member?.role.rawValue ?? "?", member?.role == .member ? nil : .yellow)
    }

    private static func joined(_ member: ChannelMember?) -> TextTable.Cell {
        TextTable.Cell(member.map { moment($0.joinedAt) } ?? "")
    }

    private static func moment(_ time: Timestamp) -> String { MessageListing.moment(time.description) }
}

extension RecordDTO {
    /// The record; `nil` if its fields cannot be read.
    fileprivate func record<Value: Record>(as type: Value.Type) -> Value? {
        guard kind == Value.kind, let data = try? ControlJSON.encode(value) else { return nil }
        return Value(value: data, id: id, version: version)
    }
}
