/** What names of made objects begin with (upstream's getPodsPrefix and getEndpointSlicePrefix); the API server cuts what is too long. Pure. */

/** Of a DNS subdomain. */
const MAX_NAME = 253;

export function generatedPrefix(name: string): string {
	return name.length < MAX_NAME ? `${name}-` : name;
}
