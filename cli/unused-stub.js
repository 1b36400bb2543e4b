// In the bundle in place of what dockerode and prom-client take along for uses that this project has none of.
export default {};
