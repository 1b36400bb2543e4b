/** When an image is pulled by default: always for the tag "latest" or neither tag nor digest. Pure. */
/** A longer path of a repository cannot be parsed. */
const MAX_PATH = 255;
const HOST = String.raw`(?:(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?`;
const PART = String.raw`[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*`;
const DIGEST = String.raw`[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}`;
/** The grammar of references, of an image whose registry is not left out. */
const REFERENCE = new RegExp(String.raw`^(?:${HOST}/)(${PART}(?:/${PART})*)(?::([\w][\w.-]{0,127}))?(?:@(${DIGEST}))?$`);
/** An identifier of an image is no name of one. */
const IDENTIFIER = /^[a-f0-9]{64}$/;

/** What cannot be parsed is pulled when it is not there. */
export function defaultPullPolicy(image: string): 'Always' | 'IfNotPresent' {
	if (IDENTIFIER.test(image)) return 'IfNotPresent';
	const [, path = '', tag, digest] = REFERENCE.exec(withRegistry(image)) ?? [];
	if (path === '' || path.length > MAX_PATH) return 'IfNotPresent';
	return tag === 'latest' || (tag === undefined && digest === undefined) ? 'Always' : 'IfNotPresent';
}

/** The first part is a registry where it looks like a host. */
function withRegistry(image: string): string {
	const slash = image.indexOf('/');
	if (slash < 0) return `docker.io/library/${image}`;
	const first = image.slice(0, slash);
	return first === 'localhost' || /[.:]/.test(first) || first !== first.toLowerCase() ? image : `docker.io/${image}`;
}
