// A bot with options that says what it thinks. Written from docs/protocol.md alone, as an example of
// its second part. It counts slots: places where a ship could still lie.
//
//     g++ -O3 -std=c++17 -o tunable examples/tunable.cpp
//     bsbench check cmd:./tunable
//     bsbench replay --strategy cmd:./tunable -o game.html
//     bsbench tune cmd:./tunable --vary edge_bonus=-0.5:1 --vary miss_near=-0.5:0.5 -n 60000
//     bsbench compare cmd:./tunable cmd:./tunable,edge_bonus=0,miss_near=0 --seed 77 -n 20000
//
// The defaults of edge_bonus and miss_near are poor on purpose, so that tuning finds something.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>
using namespace std;

static double hit_weight = 1, edge_bonus = 0.6, parity_bonus = 0, miss_near = -0.2;
static bool shuffle_ties = true;

static int R, C, N, G;
static bool apart, tellsSunk, tellsShip;
static vector<int> fleet;
static map<int, vector<vector<int>>> slotsOf;  // length -> slots
static vector<vector<int>> near4, near8;

enum State : char { Open, Miss, Hit, Sunk, Empty };  // Empty: known to hold no ship, not shot

struct Game {
    vector<State> at;
    vector<int> shipAt;      // feedback ship: which ship a hit is on, else -1
    vector<char> afloat;
    uint64_t rng = 0;
    vector<double> p, worth;  // of the position before the last shot
    void start(uint64_t seed) {
        at.assign(N, Open); shipAt.assign(N, -1); afloat.assign(fleet.size(), 1); rng = seed;
        p.assign(N, 0); worth.assign(N, 0);
    }
    double uniform() {  // splitmix64
        uint64_t z = (rng += 0x9E3779B97F4A7C15ull);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return ((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
    }
    bool shot(int c) const { return at[c] == Miss || at[c] == Hit || at[c] == Sunk; }

    // chances: each ship afloat has a distribution over its slots; a slot counts less the likelier its cells hold another ship
    void think() {
        size_t S = fleet.size();
        vector<vector<double>> per(S, vector<double>(N, 0.0));
        vector<vector<const vector<int>*>> slots(S);
        vector<vector<double>> base(S);
        vector<int> own(S, 0);
        for (int c = 0; c < N; c++) if (tellsShip && at[c] == Hit) own[shipAt[c]]++;
        for (size_t s = 0; s < S; s++) {
            if (!afloat[s]) continue;
            for (auto& slot : slotsOf[fleet[s]]) {
                int hits = 0; bool ok = true;
                for (int c : slot) {
                    if (at[c] == Open) continue;
                    if (at[c] != Hit || (tellsShip && shipAt[c] != (int)s)) { ok = false; break; }
                    hits++;
                }
                if (!ok || (tellsShip && hits != own[s]) || (tellsSunk && hits == (int)slot.size())) continue;
                slots[s].push_back(&slot);
                base[s].push_back(tellsShip ? 1 : pow(10, hits));  // which ship is hit isn't known
            }
        }
        fill(p.begin(), p.end(), 0.0);
        for (int round = 0; round < 4; round++) for (size_t s = 0; s < S; s++) {
            if (slots[s].empty()) continue;
            double total = 0;
            vector<double> sum(N, 0.0);
            for (size_t i = 0; i < slots[s].size(); i++) {
                double w = base[s][i];
                if (round) for (int c : *slots[s][i]) if (at[c] == Open) w *= max(1e-9, 1 - (p[c] - per[s][c]));
                total += w;
                for (int c : *slots[s][i]) sum[c] += w;
            }
            for (int c = 0; c < N; c++) { double q = sum[c] / total; p[c] += q - per[s][c]; per[s][c] = q; }
        }
        vector<double> value(N, 0.0);
        for (size_t s = 0; s < S; s++) {
            double f = pow(hit_weight, own[s]);  // a ship that was hit counts more, with each hit
            for (int c = 0; c < N; c++) value[c] += f * per[s][c];
        }
        for (int c = 0; c < N; c++) {
            bool sure = false;
            for (size_t s = 0; s < S; s++) sure |= per[s][c] > 1 - 1e-12;
            p[c] = at[c] != Open ? 0 : sure ? 1 : min(0.995, max(0.0, p[c]));
        }
        for (int c = 0; c < N; c++) {
            if (shot(c)) { worth[c] = -1; continue; }
            int r = c / C, k = c % C, misses = 0;
            for (int d : near4[c]) misses += at[d] == Miss;
            double f = 1 + edge_bonus * (r == 0 || r == R - 1 || k == 0 || k == C - 1);
            if ((r + k) % 2 == 0) f *= 1 + parity_bonus;
            f *= exp(-miss_near * misses);
            worth[c] = (at[c] == Open ? value[c] : 0) * f;
        }
    }
    int choose() {
        think();
        int best = -1; double top = -1, tie = 0;
        for (int c = 0; c < N; c++) {
            if (worth[c] < 0) continue;
            double u = shuffle_ties ? uniform() : 0;
            if (worth[c] > top + 1e-12 || (worth[c] > top - 1e-12 && u > tie)) { best = c; top = worth[c]; tie = u; }
        }
        return best;
    }
    void info(int shot) const {
        printf("chances");
        for (int c = 0; c < N; c++)
            if (this->shot(c)) printf(" -"); else printf(" %.5g", min(1.0, p[c]));
        vector<int> order;
        for (int c = 0; c < N; c++) if (worth[c] >= 0 && c != shot) order.push_back(c);
        sort(order.begin(), order.end(), [&](int a, int b) { return worth[a] != worth[b] ? worth[a] > worth[b] : a < b; });
        printf("\nchoices %d", shot);
        for (size_t i = 0; i < order.size() && i < 4; i++) printf(" %d", order[i]);
        int hits = 0;
        for (auto a : at) hits += a == Hit;
        printf("\ntext %s: chance %.1f %%, worth %.3f\nready\n", hits ? "Chasing a hit ship" : "Hunting", 100 * p[shot], worth[shot]);
    }
};

static vector<Game> games;
static vector<int> lastShot;

static void rules(istringstream& in) {
    string touch, feedback; int n;
    in >> R >> C >> touch >> feedback >> G;
    apart = touch == "apart"; tellsSunk = feedback != "hit"; tellsShip = feedback == "ship";
    N = R * C; fleet.clear(); slotsOf.clear();
    while (in >> n) fleet.push_back(n);
    for (int len : fleet) {
        if (slotsOf.count(len)) continue;
        auto& all = slotsOf[len];
        for (int r = 0; r < R; r++) for (int k = 0; k < C; k++) for (int down = 0; down < (len > 1 ? 2 : 1); down++) {
            if (down ? r + len > R : k + len > C) continue;
            vector<int> slot;
            for (int i = 0; i < len; i++) slot.push_back(down ? (r + i) * C + k : r * C + k + i);
            all.push_back(slot);
        }
    }
    near4.assign(N, {}); near8.assign(N, {});
    for (int c = 0; c < N; c++) for (int a = -1; a <= 1; a++) for (int b = -1; b <= 1; b++) {
        int r = c / C + a, k = c % C + b;
        if ((!a && !b) || r < 0 || r >= R || k < 0 || k >= C) continue;
        near8[c].push_back(r * C + k);
        if (!a || !b) near4[c].push_back(r * C + k);
    }
    games.assign(G, Game()); lastShot.assign(G, 0);
    printf("ready\n");
}

int main() {
    string line;
    while (getline(cin, line)) {
        istringstream in(line);
        string word; int place = 0;
        if (!(in >> word)) continue;
        if (isdigit((unsigned char)word[0])) { place = stoi(word); if (!(in >> word)) continue; }
        if (word == "bsbench") {
            printf("name Tunable\ngames 64\nrandom\nneeds hit\ncan info limits\n"
                   "option hit_weight float 1 0.3 30\noption edge_bonus float 0.6 -0.5 1\n"
                   "option parity_bonus float 0 -0.5 1\noption miss_near float -0.2 -0.5 0.5\n"
                   "option shuffle_ties bool true\nready\n");
        } else if (word == "set") {
            string name, value; in >> name >> value;
            if (name == "hit_weight") hit_weight = stod(value);
            else if (name == "edge_bonus") edge_bonus = stod(value);
            else if (name == "parity_bonus") parity_bonus = stod(value);
            else if (name == "miss_near") miss_near = stod(value);
            else if (name == "shuffle_ties") shuffle_ties = value == "true" || value == "1";
        } else if (word == "rules") rules(in);
        else if (word == "game") { uint64_t seed = 0; in >> seed; games[place].start(seed); }
        else if (word == "shoot") {
            const char* gap = "";
            while (in >> place) { printf("%s%d", gap, lastShot[place] = games[place].choose()); gap = " "; }
            printf("\n");
        } else if (word == "miss") { int c; in >> c; games[place].at[c] = Miss; }
        else if (word == "hit") {
            int c, s; in >> c; games[place].at[c] = Hit;
            if (in >> s) games[place].shipAt[c] = s;
        } else if (word == "sunk") {
            int c, s; in >> c; Game& g = games[place]; g.at[c] = Hit;
            if (in >> s) g.afloat[s] = 0;
            while (in >> c) {
                g.at[c] = Sunk;
                if (apart) for (int d : near8[c]) if (g.at[d] == Open) g.at[d] = Empty;
            }
        } else if (word == "info") { int q; if (in >> q) place = q; games[place].info(lastShot[place]); }
        else if (word == "quit") break;
        fflush(stdout);
    }
}
