/// An identifier on the wire: 1 to 64 of `A-Z a-z 0-9 _ -`.
///
/// The alphabet is that small so that two identifiers are equal exactly if their bytes are: with more characters Swift, SQLite and
/// JavaScript disagree on that. `Tag` keeps identifiers of different types apart.
package struct Identifier<Tag>: Hashable, Sendable, CustomStringConvertible {
    package static var bytesMax: Int { 64 }

    package let rawValue: String

    /// Nil if the text is not a valid identifier.
    package init?(_ rawValue: String) {
        var rawValue = rawValue
        guard rawValue.withUTF8({ unsafe Self.isSpelled($0) }) else { return nil }
        self.rawValue = rawValue
    }

    /// True if the bytes are a valid identifier. Called with every message, so it reads the bytes in place: reading them one by one
    /// from a `String` takes ten times as long.
    private static func isSpelled(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard (1...bytesMax).contains(bytes.count) else { return false }
        for index in bytes.indices {
            switch unsafe bytes[index] {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                continue
            default: return false
            }
        }
        return true
    }

    package var description: String { rawValue }
}

package enum SessionTag {}
package enum ApprovalTag {}
package enum HostTag {}
package enum ClientTag {}
package enum WorkspaceTag {}
package enum CommandTag {}
package enum EpochTag {}
package enum DeviceTag {}
package enum CardTag {}

/// One conversation of one agent; made by the host, stable across restarts of everything.
package typealias SessionID = Identifier<SessionTag>
package typealias ApprovalID = Identifier<ApprovalTag>
package typealias HostID = Identifier<HostTag>
package typealias ClientID = Identifier<ClientTag>
package typealias WorkspaceID = Identifier<WorkspaceTag>
/// Made by the client for one command, so that sending it twice has one effect.
package typealias CommandID = Identifier<CommandTag>
/// One life of the log: a restored or replaced data file has another epoch.
package typealias Epoch = Identifier<EpochTag>
/// One registration for push; made by the app, and kept across its restarts.
package typealias DeviceID = Identifier<DeviceTag>
/// One Live Activity on one device, by ActivityKit's identifier.
package typealias CardID = Identifier<CardTag>
