/** When an image is pulled by default: always for the tag "latest" or neither tag nor digest. Pure. */
/** A longer name cannot be parsed. */
const MAX_NAME = 255;

export function defaultPullPolicy(image: string): 'Always' | 'IfNotPresent' {
	if (image === '' || image !== image.trim() || image.length > MAX_NAME) return 'IfNotPresent';
	if (image.includes('@')) return 'IfNotPresent';
	const last = image.slice(image.lastIndexOf('/') + 1);
	const colon = last.indexOf(':');
	if (!/^[a-z0-9]([a-z0-9._-]*[a-z0-9])?(:[\w][\w.-]{0,127})?$/.test(last)) return 'IfNotPresent'; // unparsable
	return colon < 0 || last.slice(colon + 1) === 'latest' ? 'Always' : 'IfNotPresent';
}
