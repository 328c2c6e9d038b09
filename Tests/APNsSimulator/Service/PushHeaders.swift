/// The checked headers of one push; `throws` the first fault.
struct PushHeaders {
    static let collapseIDBytesMax = 64

    /// 10 for at once, 5 when it suits the device's power, 1 to never wake it.
    static let priorities: Set<Int> = [1, 5, 10]

    var priority: Int
    /// Seconds since 1970; 0 for one attempt, nil for APNs' own policy.
    var expiration: Int64?
    var collapseID: String?

    /// A canonical UUID in lower case, or nil if there is none.
    static func messageID(of request: PushRequest, named name: String) throws(RefusalError) -> String? {
        guard let id = request.header(name) else { return nil }
        guard isCanonicalUUID(id) else { throw RefusalError(.badMessageID) }
        return id
    }

    static func expiration(of request: PushRequest) throws(RefusalError) -> Int64? {
        guard let text = request.header("apns-expiration") else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let seconds = Int64(text)
        else { throw RefusalError(.badExpirationDate) }
        return seconds
    }

    static func priority(of request: PushRequest, pushType: PushType?) throws(RefusalError) -> Int {
        let text = request.header("apns-priority") ?? "10"
        guard let priority = Int(text), text == String(priority), priorities.contains(priority) else {
            throw RefusalError(.badPriority)
        }
        // A background push with priority 10, explicit or by default, is an error; a Live Activity permits 5 and 10 only.
        if pushType == .background, priority == 10 { throw RefusalError(.badPriority) }
        if pushType == .liveActivity, priority == 1 { throw RefusalError(.badPriority) }
        return priority
    }

    static func collapseID(of request: PushRequest) throws(RefusalError) -> String? {
        guard let id = request.header("apns-collapse-id") else { return nil }
        guard (1...collapseIDBytesMax).contains(id.utf8.count) else { throw RefusalError(.badCollapseID) }
        return id
    }

    /// 8-4-4-4-12 digits of base 16, letters in lower case.
    static func isCanonicalUUID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return false }
        return bytes.enumerated().allSatisfy { offset, byte in
            switch offset {
            case 8, 13, 18, 23: byte == UInt8(ascii: "-")
            default: isLowercaseHexadecimal(byte)
            }
        }
    }

    static func isLowercaseHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
