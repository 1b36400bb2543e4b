/** Image references: repository, and tag or digest. Pure. */

export interface Reference {
	readonly repository: string;
	/** "1.36" or "sha256:…"; "latest" where none is given. */
	readonly version: string;
	readonly isDigest: boolean;
}

/** `registry:5000/a/b:tag@sha256:…`: a digest wins over a tag; a colon before the last slash is a port. */
export function parseReference(image: string): Reference {
	const [name = '', digest] = image.split('@');
	const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
	const repository = colon < 0 ? name : name.slice(0, colon);
	if (digest !== undefined) return { repository, version: digest, isDigest: true };
	return { repository, version: colon < 0 ? 'latest' : name.slice(colon + 1), isDigest: false };
}
