/** A mail server on this machine, which keeps what it is sent. */
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { eventually } from '../../../test/support/eventually.ts';

export type ReceivedMail = {
  readonly to: string;
  /** As it came. */
  readonly raw: string;
  /** Names are in lower case; folded lines are one. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  readonly html: string;
  readonly secure: boolean;
  readonly user: string | undefined;
};

export type MailServer = {
  readonly port: number;
  /** The mail that was accepted, in its order. */
  readonly mails: ReceivedMail[];
  /** Addresses with the status that they are refused with. */
  readonly refuses: Map<string, number>;
  /** Is called when a mail has come, before it is accepted. */
  accepting: (mail: ReceivedMail) => void | Promise<void>;
  /** The mail to an address, when there are so many. */
  until(to: string, count: number): Promise<readonly ReceivedMail[]>;
};

export async function openMailServer(
  t: Pick<TestContext, 'after'>,
  options: SMTPServerOptions = {},
): Promise<MailServer> {
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    onRcptTo({ address }, _session, callback) {
      const responseCode = opened.refuses.get(address);
      callback(
        responseCode === undefined ? null : Object.assign(new Error('no such mailbox'), { responseCode }),
      );
    },
    async onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      const { envelope, secure, user } = session;
      const raw = Buffer.concat(chunks).toString();
      const mail = {
        ...parsed(raw),
        to: envelope.rcptTo[0]!.address,
        raw,
        secure,
        user: user as string | undefined,
      };
      await opened.accepting(mail);
      opened.mails.push(mail);
      callback();
    },
    ...options,
  });
  // Clients that are killed, or do not trust the certificate, end connections.
  server.on('error', () => {});
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
  t.after(() => new Promise<void>((closed) => server.close(closed)));
  const opened: MailServer = {
    port: (server.server.address() as AddressInfo).port,
    mails: [],
    refuses: new Map(),
    accepting: () => {},
    async until(to, count) {
      const found = () => opened.mails.filter((mail) => mail.to === to);
      return eventually(`${count} mails to ${to}`, found, ({ length }) => length >= count);
    },
  };
  return opened;
}

/** The headers and the two parts of a mail that this service sends. */
function parsed(raw: string): Pick<ReceivedMail, 'headers' | 'text' | 'html'> {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const headers = headersOf(head);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1];
  const parts = rest.join('\r\n\r\n').split(`--${boundary}`);
  const partOf = (type: string) => {
    const part = parts
      .map((one) => one.replace(/^\r\n/, ''))
      .find((one) => one.startsWith(`Content-Type: ${type}`));
    const [partHead = '', ...body] = part?.split('\r\n\r\n') ?? [];
    const text = decoded(body.join('\r\n\r\n'), headersOf(partHead).get('content-transfer-encoding'));
    return text.replaceAll('\r\n', '\n');
  };
  return { headers, text: partOf('text/plain'), html: partOf('text/html') };
}

function headersOf(head: string): Map<string, string> {
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  return new Map(
    lines.map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
}

function decoded(body: string, coding: string | undefined): string {
  if (coding === 'base64') return Buffer.from(body, 'base64').toString();
  if (coding !== 'quoted-printable') return body;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([\dA-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
