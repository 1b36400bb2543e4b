// In the bundle in place of what prom-client takes along for uses that this project has none of.
export default {};
