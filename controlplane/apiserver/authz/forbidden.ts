/** The words with which upstream refuses a request. */
import { goQuote } from '../../../api/go-quote.ts';
import { forbidden, StatusError } from '../../../api/status.ts';
import type { Attributes } from '../contracts.ts';

/** `User "u" cannot get resource "pods" in API group "" in the namespace "n": why`. */
export function forbiddenMessage(asked: Attributes, reason: string): string {
	const what = asked.type === 'path' ? `path ${goQuote(asked.path)}` : resourceText(asked);
	const message = `User ${goQuote(asked.user.name)} cannot ${asked.verb} ${what}`.replaceAll(/[&<>]/g, (char) => HARMLESS[char] ?? char);
	return reason === '' ? message : `${message}: ${reason}`;
}

/** What is asked for is shown to whoever opens a link: it may not read as HTML. */
const HARMLESS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Of who may not, which is answered with care for what a browser makes of it; what admission or a handler forbids is not. */
export class Refusal extends StatusError {}

/** The refusal itself; of a path it has no details. */
export function refused(asked: Attributes, reason: string): Refusal {
	const why = forbiddenMessage(asked, reason);
	if (asked.type === 'resource') return new Refusal(forbidden({ group: asked.group, plural: asked.resource }, asked.name, why).status);
	return new Refusal({ metadata: {}, status: 'Failure', message: `forbidden: ${why}`, reason: 'Forbidden', details: {}, code: 403 });
}

function resourceText(asked: Attributes & { readonly type: 'resource' }): string {
	const resource = asked.subresource === '' ? asked.resource : `${asked.resource}/${asked.subresource}`;
	const where = asked.namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(asked.namespace)}`;
	return `resource ${goQuote(resource)} in API group ${goQuote(asked.group)} ${where}`;
}
