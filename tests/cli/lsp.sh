# collc lsp with an editor at the other end: Neovim without a screen. What the server does with any message
# is tested in tests/unit/test_lsp.c.
set -e
. "$root/tests/helpers.sh"

# The process: it leaves as the protocol has it, and does not wait for an editor that is gone.
frame() { printf 'Content-Length: %d\r\n\r\n%s' "${#1}" "$1"; }
begin='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'
{ frame "$begin"; frame '{"jsonrpc":"2.0","id":2,"method":"shutdown"}'; frame '{"jsonrpc":"2.0","method":"exit"}'; } |
    collc lsp --stdio >answers
grep -q "\"version\":\"$(collc --version | sed 's/^[^0-9]*//')\"" answers
status=0; frame "$begin" | collc lsp >answers || status=$?
expect 'status without exit' $status 1
status=0; frame "$begin" | collc lsp >/dev/full 2>message || status=$?
expect 'status on a full disk' $status 2
grep -q 'cannot write to the client' message

command -v nvim >/dev/null || { echo 'skipped: no Neovim, an editor with a client of its own'; exit 0; }
cat >session.lua <<'END'
local out = io.open("said", "w")
local function say(...) out:write(table.concat({...}, " "), "\n") end
vim.cmd("edit own.coll")
local client = vim.lsp.start_client({ name = "collc", cmd = { "collc", "lsp" }, root_dir = "." })
vim.lsp.buf_attach_client(0, client)
local function diagnostics()
  local list = vim.diagnostic.get(0)
  table.sort(list, function(a, b) return a.lnum < b.lnum end)
  return list
end
local function has(code)
  for _, d in ipairs(diagnostics()) do if d.code == code then return true end end
  return false
end
-- A limit that no run comes near: a condition that does not come true is a failure.
local function await(wanted, condition)
  if not vim.wait(60000, condition, 10) then error("waited in vain for " .. wanted) end
end
local function ask(method, line, character)
  local parameters = { textDocument = vim.lsp.util.make_text_document_params() }
  if line then parameters.position = { line = line, character = character } end
  local answers = vim.lsp.buf_request_sync(0, method, parameters, 600000)
  for _, answer in pairs(answers) do return answer.result end
end
await("diagnostics", function() return #diagnostics() > 0 end)
for _, d in ipairs(diagnostics()) do say(d.code, d.lnum .. ":" .. d.col .. "-" .. d.end_col, d.message) end
vim.api.nvim_buf_set_lines(0, 4, 5, false, { "    send in[r+i]  to r+i" })
await("E003 to go", function() return not has("E003") end)
for _, d in ipairs(diagnostics()) do say(d.code, d.lnum .. ":" .. d.col) end
say(ask("textDocument/hover", 4, 13).contents.value)
local place = ask("textDocument/definition", 4, 13)
say("declared", place.range.start.line .. ":" .. place.range.start.character)
local format = vim.lsp.buf.format or function(o) vim.lsp.buf.formatting_sync(nil, o.timeout_ms) end -- before 0.8
format({ timeout_ms = 600000 })
await("two diagnostics", function() return #diagnostics() == 2 end)
for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, true)) do say(line) end
say(ask("textDocument/documentSymbol")[1].name)
local labels = {}
for _, item in ipairs(ask("textDocument/completion", 3, 3)) do table.insert(labels, item.label) end
say(table.concat(labels, " "))
local answers = vim.lsp.buf_request_sync(0, "textDocument/rename", { newName = "turn",
  textDocument = vim.lsp.util.make_text_document_params(), position = { line = 2, character = 4 } }, 600000)
for _, answer in pairs(answers) do vim.lsp.util.apply_workspace_edit(answer.result, "utf-16") end
for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 2, -1, true)) do say(line) end
vim.api.nvim_buf_set_lines(0, 5, 6, false, {})
await("M001", function() return has("M001") end)
answers = vim.lsp.buf_request_sync(0, "textDocument/codeAction", {
  textDocument = vim.lsp.util.make_text_document_params(),
  range = { start = { line = 4, character = 0 }, ["end"] = { line = 4, character = 30 } }, context = { diagnostics = {} } }, 600000)
for _, answer in pairs(answers) do
  say(answer.result[1].title)
  vim.lsp.util.apply_workspace_edit(answer.result[1].edit, "utf-16")
end
await("one diagnostic", function() return #diagnostics() == 1 end)
say(vim.api.nvim_buf_get_lines(0, 5, 6, true)[1], #diagnostics())
vim.lsp.get_client_by_id(client).stop()
say(vim.wait(600000, function() return vim.lsp.client_is_stopped(client) end, 10) and "left" or "still there")
out:close()
vim.cmd("quitall!")
END
cat >own.coll <<'END'
alltoall own
ranks r: p
for i in 0 .. p-1
  step
    send in[q+i] to r+i
    recv out[r-i] from r-i
END
HOME=$PWD XDG_CONFIG_HOME=$PWD XDG_DATA_HOME=$PWD XDG_STATE_HOME=$PWD \
    nvim --headless --clean -n -c 'luafile session.lua' -c 'cquit!' </dev/null >screen 2>&1 ||
    { cat screen; exit 1; }
diff - said <<'END'
E003 4:12-13 unknown name 'q'; a name is declared above its use: by 'let NAME = EXPR', by 'for' or 'ranks', or behind the name of the algorithm as a parameter
W009 0:0
W010 4:17
```coll
ranks r: p
```
coordinate of the rank, line 2
declared 1:6
alltoall own
ranks r: p
for i in 0 .. p-1
  step
    send in[r+i] to r + i
    recv out[r-i] from r - i
own
steps step send shift servers slots
for turn in 0 .. p-1
  step
    send in[r+turn] to r + turn
    recv out[r-turn] from r - turn
Add 'recv out[r-turn] from r - turn'
    recv out[r-turn] from r - turn 1
left
END
