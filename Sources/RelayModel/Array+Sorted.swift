extension Array {
    /// Binary search for the first element that satisfies `holds`, or the end if none does. All elements that satisfy it have to come
    /// after all others.
    @inlinable package func firstIndexOfSorted(where holds: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
