extension PendingApproval {
    /// The input as a person has edited it.
    package func edited(by edit: String) throws(EditError) -> EditedInput {
        guard !editable.isEmpty, token != nil else { throw .notOffered }
        return try EditedInput(edit, of: input, editable: editable)
    }
}
