package import PushPlanner
package import RelayProtocol

/// Maps a summary to one app's Live Activity and alerts: declared in JSON, fully checked when it is read.
///
/// The key is the bundle with the attributes type: two apps use one name for different types.
package struct Profile: Sendable {
    /// The app's notification categories, which determine the buttons of an alert. Nil: none.
    package struct Categories: Sendable, Equatable {
        /// Category for approvals that may be allowed from the notification.
        package var approval: String?
        package var approvalWithoutAllow: String?
        package var question: String?
        package var other: String?
    }

    package let name: String
    package let bundle: String
    /// The Swift name of the app's `ActivityAttributes`; nil: the app has no card, alerts only.
    package let attributesType: String?
    package let team: String?
    /// In milliseconds, as all durations here.
    package let staleAfter: Int64
    /// A card is ended before it grows older: the system would do so after 8 hours.
    package let maximumAge: Int64
    package let dismissal: PushApp.Dismissal
    /// The app's own sentence on a card that ends because of its age while the run continues.
    package let closingText: String?
    /// Cards on one device at a time: no more are started by push.
    package let cardsMax: Int
    /// The most text that its pushes may contain, whatever the person chose.
    package let textMax: PushText
    package let categories: Categories

    /// For each text; escapes count.
    let textBytesMax: Int
    /// For attributes and content state together.
    let contentBytesMax: Int
    let relevances: [SessionStatus: Int64]
    let attributeFields: [PushExpression.Field]
    let contentFields: [PushExpression.Field]

    /// Bytes that a device holds of one card, at most: Apple counts attributes and content state together.
    package static let contentBytesMax = 4_096
    /// The part of it that attributes may take.
    static let attributesShare = 4
    /// Bytes that a content state may need besides its texts, which can be cut: a start leaves that much in any case.
    static let bytesWithoutTextMax = 1_024

    /// The `content-state`: a JSON object of at most `bytesMax` bytes, which must be at least 1,024.
    package func contentState(_ subject: PushSubject, bytesMax: Int) -> [UInt8] {
        bytes(of: contentFields, subject, bytesMax: min(bytesMax, contentBytesMax - attributesBytesMax))
    }

    /// The `attributes`: a JSON object of at most 1,024 bytes.
    package func attributes(_ subject: PushSubject) -> [UInt8] {
        var subject = subject
        // Attributes never change: a card of all sessions names none.
        if subject.isOfAll { subject.text = subject.text.least(.generic) }
        return bytes(of: attributeFields, subject, bytesMax: attributesBytesMax)
    }

    /// The category of an alert; nil: it has no buttons. An alert that may not be allowed never gets the category that allows.
    package func category(for kind: AlertKind?, mayAllow: Bool) -> String? {
        switch kind {
        case .approval: mayAllow ? categories.approval : categories.approvalWithoutAllow
        case .question: categories.question
        case .error, .finished, .budget, nil: categories.other
        }
    }

    /// The `relevance-score` of a card, 0 to 100: which card of the app is on top.
    package func relevance(of status: SessionStatus) -> Int64 { relevances[status] ?? 0 }

    private var attributesBytesMax: Int { contentBytesMax / Self.attributesShare }

    private func bytes(of fields: [PushExpression.Field], _ subject: PushSubject, bytesMax: Int) -> [UInt8] {
        var subject = subject
        subject.text = subject.text.least(textMax)
        guard let value = PushExpression.object(fields, of: subject) else {
            preconditionFailure("a field that must be there is absent, which reading the profile rules out")
        }
        return value.bytes(fitting: bytesMax, textMax: textBytesMax)
    }
}
