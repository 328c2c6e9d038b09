import PushPlanner
import RelayProtocol

extension Profile {
    /// The keys that a profile may have.
    static let keys = [
        "bundle", "attributesType", "team", "dates", "text", "limits", "staleAfterSeconds", "maximumAgeSeconds",
        "closingText", "cardsMax", "dismissalSeconds", "categories", "relevance", "attributes", "contentState",
    ]

    /// Default time to staleness: longer than a person looks at a card that is not updated.
    private static let staleAfterDefault: Int64 = 15 * 60
    /// Default age at which a card is ended: 7.5 hours, half an hour before the system does.
    private static let maximumAgeDefault: Int64 = 27_000
    /// The system's own limit, in seconds.
    private static let ageMax: Int64 = 8 * 3_600
    /// Seconds after which the system removes an ended card at the latest.
    private static let dismissalMax: Int64 = 4 * 3_600
    private static let textBytesDefault: Int64 = 512
    /// Number of cards that the system is said to show of one app; Apple writes that it depends.
    private static let cardsDefault: Int64 = 5
    private static let relevancesDefault: [SessionStatus: Int64] = [
        .waitingApproval: 100, .waitingAnswer: 100, .failed: 90, .running: 50, .starting: 50, .idle: 30, .stale: 20,
        .completed: 10,
    ]

    /// Reads a profile. Every fault that could make a push fail is found here.
    package init(parsing bytes: [UInt8], name: String) throws(ProfileError) {
        do throws(WireError) {
            try self.init(from: try JSONDocument(parsing: bytes).root, name: name)
        } catch {
            let path = error.path.hasPrefix("$.") ? String(error.path.dropFirst(2)) : error.path
            let place = path == "$" ? "the whole file" : path.isEmpty ? "the key \"\"" : path
            throw ProfileError(profile: name, path: place, error.message)
        }
    }

    private init(from value: JSONValue, name: String) throws(WireError) {
        guard Identifier<DeviceTag>(name) != nil else {
            throw WireError(.badValue, at: "name", "a profile is named with 1 to 64 of A-Z a-z 0-9 _ -: rename the file")
        }
        try value.object().refuseKeys(besides: Self.keys)
        self.name = name
        bundle = try value.spelled("bundle", bytesMax: 155, "a bundle id has letters, digits, - and .") {
            $0 == "." || $0 == "-" || $0.isLetter || $0.isNumber
        }
        attributesType =
            value.optional("attributesType") == nil
            ? nil
            : try value.spelled("attributesType", bytesMax: 128, "this must be the name of a Swift type") {
                $0 == "_" || $0 == "." || $0.isLetter || $0.isNumber
            }
        team = try value.optionalString("team")
        if let team, team.utf8.count != 10 || !team.allSatisfy({ $0.isASCII && ($0.isUppercase || $0.isNumber) }) {
            throw WireError(.badValue, at: "team", "a team id has 10 of A-Z 0-9: see developer.apple.com, Membership")
        }
        textMax = value.optional("text") == nil ? .full : try value.word("text")
        if textMax == .sealed {
            throw WireError(.badValue, at: "text", "this is full, summary or generic: sealed is for the person to choose")
        }
        staleAfter = try value.seconds("staleAfterSeconds", in: 60...Self.ageMax) ?? Self.staleAfterDefault * 1_000
        maximumAge = try value.seconds("maximumAgeSeconds", in: 60...Self.ageMax) ?? Self.maximumAgeDefault * 1_000
        var dismissal = PushApp.Dismissal()
        if let given = value.optional("dismissalSeconds") {
            try given.object().refuseKeys(besides: ["completed", "failed", "cancelled"])
            let range = 0...Self.dismissalMax
            dismissal.completed = try given.seconds("completed", in: range) ?? dismissal.completed
            dismissal.failed = try given.seconds("failed", in: range) ?? dismissal.failed
            dismissal.cancelled = try given.seconds("cancelled", in: range) ?? dismissal.cancelled
        }
        self.dismissal = dismissal
        closingText = try value.closingText()
        cardsMax = Int(try value.optionalInteger("cardsMax", in: 1...50) ?? Self.cardsDefault)
        categories = try Categories(from: value.optional("categories"))
        relevances = try Self.relevances(from: value.optional("relevance"))

        var (text, total) = (Self.textBytesDefault, Int64(Self.contentBytesMax))
        if let limits = value.optional("limits") {
            try limits.object().refuseKeys(besides: ["textBytes", "totalBytes"])
            text = try limits.optionalInteger("textBytes", in: 16...Int64(Self.contentBytesMax)) ?? text
            total = try limits.optionalInteger("totalBytes", in: 2_048...Int64(Self.contentBytesMax)) ?? total
        }
        (textBytesMax, contentBytesMax) = (Int(text), Int(total))

        guard attributesType != nil else {
            for key in ["dates", "attributes", "contentState"] where try value.members().contains(where: { $0.key == key }) {
                throw WireError(
                    .badValue, at: key, "this is for cards only: name the type of their attributes in attributesType")
            }
            (attributeFields, contentFields) = ([], [])
            return
        }
        let dates: PushExpression.DateFormat = try value.word("dates")
        attributeFields = try PushExpression.fields(from: value.required("attributes"), dates)
        contentFields = try PushExpression.fields(from: value.required("contentState"), dates)
        try Self.check(attributeFields, at: "attributes", bytesMax: contentBytesMax / Self.attributesShare / 2)
        try Self.check(contentFields, at: "contentState", bytesMax: min(Self.bytesWithoutTextMax, contentBytesMax / 4))
    }

    /// Checks that every required field is present for any subject, and that the rest fits if all text is cut.
    private static func check(_ fields: [PushExpression.Field], at path: String, bytesMax: Int) throws(WireError) {
        try refuseAbsence(of: fields, at: path)
        let count = PushExpression.bytesWithoutText(fields)
        guard count <= bytesMax else {
            throw WireError(
                .outOfRange, at: path,
                "\(count) bytes without any text, and only \(bytesMax) are sure to fit: leave fields out or shorten constants")
        }
    }

    private static func refuseAbsence(of fields: [PushExpression.Field], at path: String) throws(WireError) {
        for field in fields where !field.isOptional && field.expression.canBeAbsent {
            throw WireError(
                .missingField, at: "\(path).\(field.name)",
                "this can be absent: end it with a constant, as in {\"first\": [\(field.expression.sketch), …]}, or, if the app's "
                    + "field is an optional, write its name as \"\(field.name)?\"")
        }
    }

    private static func relevances(from value: JSONValue?) throws(WireError) -> [SessionStatus: Int64] {
        var relevances = relevancesDefault
        guard let value else { return relevances }
        for (key, score) in try value.members() {
            guard let status = SessionStatus(rawValue: key) else { throw PushExpression.noStatus(key, at: value.path) }
            relevances[status] = try score.integer(in: 0...100)
        }
        return relevances
    }
}

extension Profile.Categories {
    fileprivate init(from value: JSONValue?) throws(WireError) {
        guard let value else { return }
        try value.object().refuseKeys(besides: ["approval", "approvalWithoutAllow", "question", "other"])
        approval = try value.category("approval")
        approvalWithoutAllow = try value.category("approvalWithoutAllow")
        question = try value.category("question")
        other = try value.category("other")
        guard let approval else { return }
        for (key, category) in [("approvalWithoutAllow", approvalWithoutAllow), ("question", question), ("other", other)]
        where category == approval {
            throw WireError(
                .badValue, at: "categories.\(key)",
                "this is the category that allows: what was cut would be allowed unseen; register another one in the app")
        }
    }
}

extension JSONValue {
    /// Throws if the object has a key other than `keys`, so that a misspelled setting is not ignored.
    func refuseKeys(besides keys: [String]) throws(WireError) {
        for member in try members() where !keys.contains(member.key) {
            throw WireError(
                .badValue, at: "\(path).\(member.key)", "there is no such key here; there are: \(keys.joined(separator: ", "))")
        }
    }

    /// Reads a number of seconds; returns milliseconds.
    fileprivate func seconds(_ key: StaticString, in range: ClosedRange<Int64>) throws(WireError) -> Int64? {
        try optionalInteger(key, in: range).map { $0 * 1_000 }
    }

    /// The closing text, which is never cut, so it must be short.
    fileprivate func closingText() throws(WireError) -> LanguageChoice<String>? {
        guard let given = optional("closingText") else { return nil }
        func text(_ value: JSONValue) throws(WireError) -> String {
            let text = try value.string()
            guard TextFit.bytes(of: text) <= PushSource.closingBytesMax else {
                throw WireError(.outOfRange, at: value.path, "at most \(PushSource.closingBytesMax) bytes, as it is never cut")
            }
            return text
        }
        guard given.isObject else { return LanguageChoice(otherwise: try text(given)) }
        try given.refuseKeys(besides: ["byLanguage"])
        return try LanguageChoice(from: given.required("byLanguage"), text)
    }

    fileprivate func spelled(
        _ key: StaticString, bytesMax: Int, _ rule: String, _ isAllowed: (Character) -> Bool
    ) throws(WireError) -> String {
        let text = try string(key, bytesMax: bytesMax)
        guard !text.isEmpty, text.allSatisfy({ $0.isASCII && isAllowed($0) }) else {
            throw WireError(.badValue, at: "\(path).\(key)", rule)
        }
        return text
    }

    fileprivate func category(_ key: StaticString) throws(WireError) -> String? {
        guard optional(key) != nil else { return nil }
        return try spelled(key, bytesMax: 64, "a category is an identifier of letters, digits, _ - and .") {
            $0 == "_" || $0 == "-" || $0 == "." || $0.isLetter || $0.isNumber
        }
    }
}
