/** Metadata of what is posted to subresources and virtual resources, as upstream's create handler leaves it. */
import { badRequest } from '../../../api/status.ts';
import type { KubeObject } from '../../../api/resource.ts';

/** Theirs says which object is meant. */
const MEANS_AN_OBJECT = new Set(['binding', 'token']);

/** Takes out what only the server says, and puts in the path's namespace; another one is a StatusError BadRequest. */
export function settleMetadata(
	object: { metadata?: KubeObject['metadata'] },
	{ namespace, subresource }: { readonly namespace: string; readonly subresource: string },
): void {
	const metadata = (object.metadata ??= {});
	delete metadata.deletionTimestamp;
	delete metadata.deletionGracePeriodSeconds;
	delete metadata.selfLink;
	if (!MEANS_AN_OBJECT.has(subresource)) {
		delete metadata.uid;
		delete metadata.creationTimestamp;
	}
	if (namespace === '') delete metadata.namespace;
	if ((metadata.namespace ?? '') !== '' && metadata.namespace !== namespace)
		throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
	if (namespace !== '') metadata.namespace = namespace;
}
