// Sends one message through a transport and a store of its own, with the public API alone:
//
//     own-adapters TEXT
//
// It prints one line for each commit of the store that holds the message, and the message's position on the server.

import OwnAdapters

@main
enum OwnAdaptersProgram {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else { return print("usage: own-adapters TEXT") }
        for line in try await Journey.ofMessage(CommandLine.arguments[1]).lines { print(line) }
    }
}
