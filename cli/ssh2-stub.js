// dockerode can reach an engine over SSH; this project never does, and ssh2 cannot be bundled.
export default {};
