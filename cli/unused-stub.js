// In the bundle in place of what dockerode takes along for uses that this project has none of.
export default {};
