/** /debug/flags: the flags that may be set while the server runs, by a PUT of the value; "v" alone, how much is logged (upstream's routes/flags.go). */
import type { Log } from '../../../base/log.ts';
import { setVerbosity } from '../../../base/verbosity.ts';
import type { ApiResponse, Handler } from '../contracts.ts';

const PAGE = `<html>
<head>
<title>/debug/flags/</title>
</head>
<body>
/debug/flags/<br>
<br>
flags:<br>
<table>
<tr>v<br>
</table>
<br>
full flags configurable<br>
</body>
</html>
`;

export function flagRoutes(log: Log): ReadonlyMap<string, Handler> {
	const index: Handler = () => Promise.resolve(answer(200, 'text/html; charset=utf-8', PAGE));
	return new Map<string, Handler>([
		['/debug/flags', index],
		['/debug/flags/', index],
		[
			'/debug/flags/v',
			async (request) => {
				if (request.method !== 'PUT') return plain(406, 'unsupported http method\n');
				const { status, text } = setVerbosity(log, Buffer.from(await request.body()).toString());
				return plain(status, text);
			},
		],
	]);
}

const plain = (status: number, text: string): ApiResponse => answer(status, 'text/plain', text, { 'x-content-type-options': 'nosniff' });

function answer(status: number, type: string, text: string, headers: Readonly<Record<string, string>> = {}): ApiResponse {
	return { type: 'bytes', status, headers: { 'content-type': type, ...headers }, body: Buffer.from(text) };
}
