/// One question as people see it.
package struct ShownQuestion: Sendable {
    package let text: String
    package let choices: [(label: String, description: String?)]

    package init(text: String, choices: [(label: String, description: String?)]) {
        self.text = text
        self.choices = choices
    }
}
