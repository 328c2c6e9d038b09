/// The labels of choices, as people see them.
package enum ShownLabels {
    /// Numbers labels that look alike because the difference was hidden, so that a person who chooses one means that one.
    package static func apart(_ labels: [String]) -> [String] {
        // Swift's own equality: labels that look alike in other bytes are alike too.
        let counts = Dictionary(labels.map { (TextCut.trim($0), 1) }, uniquingKeysWith: +)
        var taken = Set(counts.keys)
        return labels.map { label in
            guard counts[TextCut.trim(label)] != 1 else { return label }
            var number = 1
            while !taken.insert("\(TextCut.trim(label)) (\(number))").inserted { number += 1 }
            return "\(TextCut.trim(label)) (\(number))"
        }
    }
}
