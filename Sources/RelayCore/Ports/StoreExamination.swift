/// Result of a read-only examination of a store.
package struct StoreExamination: Sendable {
    /// Damaged records, without which the relay would continue.
    package let damagedRecords: [DamagedRecord]
    /// An older version wrote the store: the relay migrates it when it starts. Its records were not checked.
    package let isOlder: Bool
    /// True if everything was checked. A larger store is only checked by the relay, in the background.
    package let isChecked: Bool

    package init(damagedRecords: [DamagedRecord], isOlder: Bool, isChecked: Bool) {
        self.damagedRecords = damagedRecords
        self.isOlder = isOlder
        self.isChecked = isChecked
    }
}
