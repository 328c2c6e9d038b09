/// Error of a folder that cannot be used, with a sentence that contains the remedy if a person can apply one.
package struct FolderError: Error {
    package let message: String
    /// The error of the system call, if one failed.
    package let number: Int32?
}
