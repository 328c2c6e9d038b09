package import RelayCore
package import RelayModel
internal import RelayProtocol

/// A damaged row, and what would replace it.
package struct DamagedRow: Sendable {
    package enum Subject: Sendable {
        case state
        /// An event, by its number.
        case event(Int64)
        case record(PushRecord.Key)
        case other
    }

    package let record: DamagedRecord
    let subject: Subject

    package init(_ record: DamagedRecord, _ subject: Subject) { (self.record, self.subject) = (record, subject) }

    func isState(of key: SessionKey) -> Bool {
        if case .state = subject { isOf(key) } else { false }
    }

    var isEvent: Bool { if case .event = subject { true } else { false } }

    /// True if the batch removes or replaces the row.
    func isMended(by batch: LogBatch) -> Bool {
        switch subject {
        case .state: batch.appends.contains { isOf($0.key) } || batch.trims.contains { isOf($0.key) }
        case .event(let seq): batch.trims.contains { isOf($0.key) && ($0.state == nil || seq <= $0.through) }
        case .record(let key): batch.records.contains { $0.key == key }
        case .other: false
        }
    }

    private func isOf(_ key: SessionKey) -> Bool {
        record.workspace == key.workspace.rawValue && record.session == key.session.rawValue
    }
}
