/// Findings of an examination of a store that changed nothing in it.
package struct StoreExamination: Sendable {
    /// Records that the relay would go on without.
    package let damagedRecords: [DamagedRecord]
    /// An older version wrote it: the relay brings it up to date when it starts. Its records were not looked at.
    package let isOlder: Bool
    /// True if everything was checked. The relay checks a larger store itself, in the background.
    package let isChecked: Bool

    package init(damagedRecords: [DamagedRecord], isOlder: Bool, isChecked: Bool) {
        self.damagedRecords = damagedRecords
        self.isOlder = isOlder
        self.isChecked = isChecked
    }
}
