import test from 'ava';
import { isLog, refusedBy } from './kubelet-answers.ts';

for (const [status, want] of [
	[400, { code: 400, reason: 'BadRequest', message: 'no' }],
	[403, { code: 403, reason: 'Forbidden', message: 'no ( pods/log p)', details: { name: 'p', kind: 'pods/log' } }],
	[404, { code: 404, reason: 'NotFound', message: 'the server could not find the requested resource ( pods/log p)' }],
	[418, { code: 418, message: 'the server responded with the status code 418 but did not return more information ( pods/log p)' }],
	[500, { code: 500, reason: 'InternalError', message: 'Internal error occurred: no' }],
	[
		502,
		{
			code: 502,
			reason: 'InternalError',
			message: 'an error on the server ("no") has prevented the request from succeeding ( pods/log p)',
		},
	],
	[503, { code: 503, reason: 'ServiceUnavailable', message: 'the server is currently unable to handle the request ( pods/log p)' }],
] as const)
	test(`a kubelet's ${status} in place of a log`, (t) => {
		t.false(isLog(status));
		t.like(refusedBy(status, 'no', 'p').status, want);
	});

test('a kubelet leads nowhere else', (t) => {
	t.like(refusedBy(302, '', 'p', '/x').status, { code: 500, message: 'Get "/x": redirects forbidden' });
});
