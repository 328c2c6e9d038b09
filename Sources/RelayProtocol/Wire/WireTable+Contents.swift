/// Objects in the bodies of events, which the relay only carries: for the page and the protocol document.
extension WireTable {
    package static let contents = [change, question]

    private static let change = WireObject(
        "change", "What an edit does to its file, in the body of `approval.requested` and `file.changed`.",
        [
            .required("file", .words("new", "overwrites", "edits", "unchanged", "unknown")),
            .optional("problem", .anyText, "Why there is no diff against the file."), .optional("added", .count),
            .optional("removed", .count), .optional("bytes", .count, "The size of the file before."),
            .optional("places", .count),
            .optional("target", .anyText, "If a link on the path leads elsewhere: the file that is meant."),
            .optional(
                "cell",
                .object([
                    .required("deed", .words("replace", "insert", "delete")), .required("number", .count),
                    .required("of", .count),
                ])),
        ])

    private static let question = WireObject(
        "question", "One question in the body of `approval.requested`.",
        [
            .required("id", .name), .required("text", .anyText), .optional("header", .anyText),
            .optional("multiple", .flag),
            .optional("choicesOnly", .flag, "It takes no answer in words of one's own."),
            .required(
                "choices",
                .list(.object([.required("label", .anyText), .optional("description", .anyText)]))),
        ])
}
